import { wholeOr0 } from '../../assemble/number-gate.js';
import type { CodeName, UnnamedCode } from '../code-names.js';

/** A file, or the code that one process made at run time: its places are named together. */
interface Image {
  readonly path: string;
  readonly buildId: Uint8Array | undefined;
  readonly pid: number;
  /** Places by their offsets. */
  readonly places: Map<number, number>;
}

/** What the kernel calls memory of no file, in which programs put the code that they make. */
const madeAtRunTime = /^(?:$|\/\/anon|\/anon_hugepage|\/memfd:|\[anon|\/SYSV|\[heap\]|\[stack\])/;
export const isMadeAtRunTime = (path: string): boolean => madeAtRunTime.test(path);

const placeBytes = 150;
const imageBytes = 400;
const buildIdBytes = 300;
const mostBuildIds = 1 << 16;
const noBuildId = new Uint8Array(0);

/** The places that stacks consist of: offsets in files. Each is a function of its own until its name is known. */
export class CodePlaces {
  readonly #images: Image[] = [];
  readonly #byKey = new Map<string, number>();
  readonly #imageOf: number[] = [];
  readonly #offset: number[] = [];
  readonly #names: (readonly CodeName[] | undefined)[] = [];
  readonly #buildIds = new Map<string, Uint8Array>();
  /** Somebody has looked for names. */
  wasNamed = false;

  get memoryBytes(): number {
    const images = imageBytes * this.#images.length + buildIdBytes * this.#buildIds.size;
    return placeBytes * this.#offset.length + images;
  }

  /** Of files whose build is told apart from where they are mapped. */
  setBuildId(path: string, buildId: Uint8Array): void {
    if (this.#buildIds.size < mostBuildIds) this.#buildIds.set(path, buildId);
  }

  /** The number of the file at `path`, or of what the process made there. */
  image(path: string, buildId: Uint8Array | undefined, pid: number): number {
    const isMade = isMadeAtRunTime(path);
    const key = isMade ? `made ${pid}` : `${buildId?.join() ?? ''} ${path}`;
    let image = this.#byKey.get(key);
    if (image === undefined) {
      image = this.#images.length;
      this.#byKey.set(key, image);
      this.#images.push({ path: isMade ? '' : path, buildId, pid: isMade ? pid : 0, places: new Map() });
    }
    return image;
  }

  /** The number of a place; `image` −1: it is not known what was there. */
  place(image: number, offset: number): number {
    const places = this.#images[image < 0 ? this.image('[unknown]', undefined, 0) : image]?.places;
    const at = image < 0 ? 0 : offset;
    let place = places?.get(at);
    if (place === undefined) {
      place = this.#offset.length;
      places?.set(at, place);
      this.#imageOf.push(image);
      this.#offset.push(at);
    }
    return place;
  }

  /** The functions at a place, the innermost first. */
  functions(place: number): readonly CodeName[] {
    const known = this.#names[place];
    if (known !== undefined && known.length > 0) return known;
    const image = this.#images[this.#imageOf[place] ?? -1];
    if (image === undefined) return [{ name: '[unknown]', file: '', line: 0 }];
    const base = image.path.slice(image.path.lastIndexOf('/') + 1);
    const name =
      image.path === '' ? '[code made at run time]' : image.path.startsWith('[') ? image.path : base;
    return [{ name: `${name}+0x${hexOf(this.#offset[place] ?? 0)}`, file: '', line: 0 }];
  }

  /** Whether a place is in a file, and no code that was made at run time: a name there is no Java method's. */
  isInFile(place: number): boolean {
    const image = this.#images[this.#imageOf[place] ?? -1];
    return image !== undefined && image.path !== '';
  }

  /** How many places have no name. */
  get unnamedCount(): number {
    return this.#offset.reduce((sum, _, at) => ((this.#names[at]?.length ?? 0) > 0 ? sum : sum + 1), 0);
  }

  unnamed(): UnnamedCode[] {
    const nameable = this.#images.filter(({ path, places }) => !path.startsWith('[') && places.size > 0);
    return nameable.map(({ path, buildId, pid, places }) => ({
      path,
      buildId: buildId ?? this.#buildIds.get(path) ?? noBuildId,
      pid,
      offsets: [...places.keys()],
      name: (frames) => {
        this.wasNamed = true;
        [...places.values()].forEach((place, row) => {
          this.#names[place] = frames[row]?.filter(({ name }) => name !== '');
        });
      },
    }));
  }
}

/** Addresses of the kernel are below 0 here. */
const hexOf = (address: number): string => BigInt.asUintN(64, wholeOr0(address)).toString(16);
