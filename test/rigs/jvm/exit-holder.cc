// An agent that holds a JVM while it ends, as one does that writes a large report then: it has no JVMTI to give any more.
#include <jvmti.h>
#include <unistd.h>

extern "C" JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM*, char*, void*) {
  return 0;
}

extern "C" JNIEXPORT void JNICALL Agent_OnUnload(JavaVM*) {
  (void)!write(1, "ending\n", 7);
  sleep(60);
}
