/** The kernel's own description of its trace: where each field lies in an event, and the header of a page. */

export interface EventField {
  readonly offset: number;
  readonly size: number;
}

export interface EventFormat {
  readonly name: string;
  readonly id: number;
  readonly fields: ReadonlyMap<string, EventField>;
}

/** Events are smaller than a page; a description that says otherwise is damaged. */
const mostOffset = 2 ** 16;
const mostFields = 1000;

/**
 * Text of a `format` file. Undefined where it describes no event. The cost is one pass over the lines.
 *
 *   name: sched_switch
 *   ID: 372
 *   format:
 *   	field:pid_t prev_pid;	offset:24;	size:4;	signed:1;
 */
export function parseEventFormat(text: string): EventFormat | undefined {
  let [name, id] = ['', -1];
  const fields = new Map<string, EventField>();
  for (const line of text.split('\n')) {
    if (line.startsWith('name: ')) name = line.slice(6).trim();
    else if (line.startsWith('ID: ')) id = Number(line.slice(4));
    else {
      const field = parseField(line);
      if (field !== undefined && fields.size < mostFields) fields.set(field[0], field[1]);
    }
  }
  return name !== '' && Number.isInteger(id) && id >= 0 && id < 2 ** 16 ? { name, id, fields } : undefined;
}

function parseField(line: string): [string, EventField] | undefined {
  const parts = line.trim().split(';');
  const [declared = '', ...numbers] = parts;
  if (!declared.startsWith('field:')) return undefined;
  const value = (key: string): number => {
    const part = numbers.find((one) => one.trim().startsWith(key));
    return part === undefined ? NaN : Number(part.trim().slice(key.length));
  };
  const offset = value('offset:');
  const size = value('size:');
  const isSane = (number: number): boolean => Number.isInteger(number) && number >= 0 && number < mostOffset;
  if (!isSane(offset) || !isSane(size)) return undefined;
  // "char prev_comm[16]", "__data_loc char[] name": the last word without its length.
  const word = declared.slice(declared.lastIndexOf(' ') + 1);
  const bracket = word.indexOf('[');
  return [bracket < 0 ? word : word.slice(0, bracket), { offset, size }];
}

/** Of one page of a core's buffer. */
export interface PageLayout {
  readonly pageBytes: number;
  readonly commitOffset: number;
  /** 4 on kernels of 32 bits. */
  readonly commitBytes: number;
  readonly dataOffset: number;
}

/** Text of `events/header_page`; undefined where it is not what we can read. */
export function parsePageLayout(text: string): PageLayout | undefined {
  const fields = new Map<string, EventField>();
  for (const line of text.split('\n')) {
    const field = parseField(line);
    if (field !== undefined) fields.set(field[0], field[1]);
  }
  const [timestamp, commit, data] = [fields.get('timestamp'), fields.get('commit'), fields.get('data')];
  if (timestamp?.offset !== 0 || timestamp.size !== 8 || commit === undefined || data === undefined)
    return undefined;
  const pageBytes = data.offset + data.size;
  const isSane = (commit.size === 4 || commit.size === 8) && data.offset >= commit.offset + commit.size;
  return isSane && data.offset <= 64 && pageBytes >= 256
    ? { pageBytes, commitOffset: commit.offset, commitBytes: commit.size, dataOffset: data.offset }
    : undefined;
}
