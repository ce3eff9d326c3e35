/** Queries to begin with. */
import { l10n } from 'vscode';

export interface ReadyQuery {
  readonly label: string;
  readonly sql: string;
}

export function readyQueries(): readonly ReadyQuery[] {
  return [
    {
      label: l10n.t('Slow calls of the main thread'),
      sql: `SELECT name, ts, dur / 1000000 AS ms, thread_dur / 1000000 AS cpu_ms, depth
FROM thread_slice
WHERE is_main_thread = 1 AND dur >= 16000000
ORDER BY dur DESC
LIMIT 100;
`,
    },
    {
      label: l10n.t('Background threads by CPU time'),
      sql: `SELECT thread.name, sum(cpu) / 1000000 AS cpu_ms
FROM call JOIN thread USING (utid)
WHERE depth = 0 AND NOT is_main_thread
GROUP BY thread.name
ORDER BY cpu_ms DESC;
`,
    },
    {
      label: l10n.t('Waits by kind, thread and method'),
      sql: `SELECT kind, thread.name AS thread, method.name, count(*) AS waits, sum(dur) / 1000000 AS ms
FROM wait JOIN thread USING (utid) LEFT JOIN method ON method.id = method_id
GROUP BY ALL
ORDER BY ms DESC;
`,
    },
    {
      label: l10n.t('Source lines that allocate'),
      sql: `SELECT method.name, line.file, line.line, self_bytes / 1048576 AS mb
FROM line JOIN method ON method.id = method_id
WHERE self_bytes > 0
ORDER BY self_bytes DESC
LIMIT 100;
`,
    },
  ];
}
