const platform = /^(java|javax|jdk|sun|com\.sun)\./;

/** A class of the Java platform, which says how a program waits and not where. */
export const isPlatform = (className: string): boolean => platform.test(className);
