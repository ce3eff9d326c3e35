/** Java's own, and what Android and its support library bring. */
const platform =
  /^(java|javax|jdk|sun|com\.sun|android|androidx|dalvik|libcore|com\.android\.(internal|server|org\.conscrypt|okhttp)|org\.apache\.harmony)\./;

/** A class of the Java or Android platform, which says how a program waits and not where. */
export const isPlatform = (className: string): boolean => platform.test(className);
