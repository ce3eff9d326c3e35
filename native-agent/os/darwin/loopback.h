#pragma once
// A TCP port that only this device can connect to: a desktop reaches it through the device's cable.
#include "base/types.h"

namespace btrace {

// Listens on 127.0.0.1. Returns a descriptor, or a negated error number.
int listen_loopback(u16 port);

}  // namespace btrace
