/** Ends of names that only traces and profiles have, as the menus of package.json have them. Any JSON or text may be one. */
export const traceNames =
  /(\.(trace|perfetto-trace|pftrace|collapsed|folded|nanoscope|systrace|ftrace|perf|fxt|ninja_log|pprof|pb\.gz|cpuprofile|jfr|ips|spin|hang|(speedscope|profile)\.json(\.gz)?)|perf\.data)$/i;
