// android.os.MessageQueue: an epoll that waits for an eventfd, as the Looper of a phone's libutils.
#include "framework.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace {

struct NativeQueue {
  int wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  int epoll = epoll_create1(EPOLL_CLOEXEC);

  NativeQueue() {
    epoll_event event = {};
    event.events = EPOLLIN;
    epoll_ctl(epoll, EPOLL_CTL_ADD, wake, &event);
  }
  ~NativeQueue() {
    close(epoll);
    close(wake);
  }
};

NativeQueue* From(jlong ptr) { return reinterpret_cast<NativeQueue*>(ptr); }

jlong NativeInit(JNIEnv*, jclass) { return reinterpret_cast<jlong>(new NativeQueue); }

void NativeDestroy(JNIEnv*, jclass, jlong ptr) { delete From(ptr); }

void NativePollOnce(JNIEnv*, jobject, jlong ptr, jint timeout_millis) {
  epoll_event event;
  // An interrupted wait returns early; the queue looks at its messages and comes again.
  if (epoll_wait(From(ptr)->epoll, &event, 1, timeout_millis) > 0) {
    uint64_t count;
    while (read(From(ptr)->wake, &count, sizeof count) < 0 && errno == EINTR) {
    }
  }
}

void NativeWake(JNIEnv*, jclass, jlong ptr) {
  const uint64_t one = 1;
  while (write(From(ptr)->wake, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

template <typename Function>
JNINativeMethod Native(const char* name, const char* signature, Function* function) {
  return {const_cast<char*>(name), const_cast<char*>(signature), reinterpret_cast<void*>(function)};
}

}  // namespace

bool RegisterFramework(JNIEnv* env) {
  const JNINativeMethod natives[] = {
      Native("nativeInit", "()J", NativeInit),
      Native("nativeDestroy", "(J)V", NativeDestroy),
      Native("nativePollOnce", "(JI)V", NativePollOnce),
      Native("nativeWake", "(J)V", NativeWake),
  };
  jclass queue = env->FindClass("android/os/MessageQueue");
  return queue && env->RegisterNatives(queue, natives, sizeof natives / sizeof *natives) == JNI_OK;
}
