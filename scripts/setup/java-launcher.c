/* bin/java of a JDK that is linked to a newer C library than this machine's: JDK's own launcher is the same call, but
   names the machine's loader. The options of the link (scripts/setup/jdk21.mjs) name the loader that came with it. */
#include <jni.h>

/* Of libjli, whose header no JDK ships. */
extern int JLI_Launch(int argc, char** argv, int jargc, const char** jargv, int appclassc, const char** appclassv,
                      const char* fullversion, const char* dotversion, const char* pname, const char* lname,
                      jboolean javaargs, jboolean cpwildcard, jboolean javaw, jint ergo);
/* What the launcher does with @files and JDK_JAVA_OPTIONS; it must be told that this is `java`. */
extern void JLI_InitArgProcessing(jboolean has_java_args, jboolean disable_arg_file);

int main(int argc, char** argv) {
  JLI_InitArgProcessing(JNI_FALSE, JNI_FALSE);
  return JLI_Launch(argc, argv, 0, 0, 0, 0, "", "", "java", "openjdk", JNI_FALSE, JNI_TRUE, JNI_FALSE, 0);
}
