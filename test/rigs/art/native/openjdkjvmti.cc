// libopenjdkjvmti.so: libart loads this plug-in before it attaches an agent. Debian does not package ART's JVMTI, so this one
// lets the attach go on and offers no JVMTI: GetEnv says JNI_EVERSION, as on a phone whose plug-in is refused.
extern "C" __attribute__((visibility("default"))) bool ArtPlugin_Initialize() { return true; }
extern "C" __attribute__((visibility("default"))) bool ArtPlugin_Deinitialize() { return true; }
