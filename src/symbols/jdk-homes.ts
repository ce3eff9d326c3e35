/** JDKs of this machine that have their sources beside them. */
import { access, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export interface JdkSources {
  readonly home: string;
  readonly archive: string;
  /** 17, 21 …; 0 unknown. */
  readonly feature: number;
}

export interface JdkPlaces {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeFolder: string;
}

/** Folders that hold JDKs, one a folder, by where each platform and the usual installers put them. */
export function jdkFolders({ platform, env, homeFolder }: JdkPlaces): readonly string[] {
  const own = [path.join(homeFolder, '.sdkman', 'candidates', 'java'), path.join(homeFolder, '.jdks')];
  switch (platform) {
    case 'darwin':
      return [
        '/Library/Java/JavaVirtualMachines',
        path.join(homeFolder, 'Library', 'Java', 'JavaVirtualMachines'),
        ...own,
      ];
    case 'win32': {
      const programs = env['ProgramFiles'] ?? 'C:\\Program Files';
      return ['Java', 'Eclipse Adoptium', 'Microsoft', 'Zulu', 'Amazon Corretto']
        .map((name) => path.win32.join(programs, name))
        .concat(own);
    }
    default:
      return ['/usr/lib/jvm', '/usr/java', '/opt/java', ...own];
  }
}

/** Those with sources, `wantedFeature` first, then the newest. `chosen` goes before all others. */
export async function jdksWithSources(
  places: JdkPlaces,
  chosen: string,
  wantedFeature: number,
): Promise<readonly JdkSources[]> {
  const homes = [chosen, places.env['JAVA_HOME'] ?? ''].filter((home) => home !== '');
  for (const folder of jdkFolders(places)) {
    for (const name of await namesIn(folder)) {
      homes.push(path.join(folder, name), path.join(folder, name, 'Contents', 'Home'));
    }
  }
  const found = await Promise.all([...new Set(homes)].map(sourcesOf));
  const rank = (one: JdkSources): number =>
    (one.home === chosen ? 1_000_000 : 0) + (one.feature === wantedFeature ? 1000 : 0) + one.feature;
  return found.filter((one) => one !== undefined).sort((a, b) => rank(b) - rank(a));
}

async function sourcesOf(home: string): Promise<JdkSources | undefined> {
  for (const archive of [path.join(home, 'lib', 'src.zip'), path.join(home, 'src.zip')]) {
    try {
      await access(archive);
      return { home, archive, feature: await featureOf(home) };
    } catch {
      continue; // a JDK without sources, or a link to where they would be
    }
  }
  return undefined;
}

async function featureOf(home: string): Promise<number> {
  try {
    const release = await readFile(path.join(home, 'release'), 'utf8');
    const version = /^JAVA_VERSION="(?:1\.)?(\d+)/m.exec(release)?.[1];
    return version === undefined ? 0 : Number(version);
  } catch {
    return 0;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch {
    return []; // not on this machine
  }
}
