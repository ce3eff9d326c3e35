/** Bytes of a file → a trace, whichever of the formats they are. What they are is told by themselves, not by their name. */
import { anyImporter, recognise, recogniseBytes } from '../../trace/formats/index.js';
import { type PartOptions, RecordingDecoder, type Trace } from '../../trace/index.js';

export class TraceReader {
  readonly #held: Uint8Array[] = [];
  #heldBytes = 0;
  #decoder: RecordingDecoder | undefined;
  #importer: ReturnType<typeof anyImporter> | undefined;

  constructor(private readonly part: PartOptions) {}

  append(bytes: Uint8Array): void {
    if (this.#decoder !== undefined) this.#decoder.append(bytes);
    else if (this.#importer !== undefined) this.#importer.append(bytes);
    else {
      this.#held.push(bytes);
      this.#heldBytes += bytes.length;
      if (this.#heldBytes >= recogniseBytes) this.#decide();
    }
  }

  finish(): Trace {
    this.#decide();
    if (this.#importer !== undefined) return this.#importer.finish();
    const decoder = this.#decoder ?? this.#newDecoder();
    decoder.finish();
    if (decoder.refused !== '') throw new Error(decoder.refused);
    return decoder.trace();
  }

  #newDecoder(): RecordingDecoder {
    return new RecordingDecoder({ magic: true, ...this.part });
  }

  #decide(): void {
    if (this.#decoder !== undefined || this.#importer !== undefined) return;
    const first = this.#held.length === 1 ? (this.#held[0] ?? new Uint8Array()) : Buffer.concat(this.#held);
    this.#held.length = 0;
    const { format, name, advice } = recognise(first);
    if (format === undefined) throw new Error(`This is no trace but ${name}. ${advice}`.trim());
    if (format === 'btrace') this.#decoder = this.#newDecoder();
    else this.#importer = anyImporter(this.part);
    (this.#decoder ?? this.#importer)?.append(first);
  }
}
