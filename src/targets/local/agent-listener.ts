/** Where an agent on this machine calls back: listens, drops strangers, hands over the first connection that is the agent's. */
import net from 'node:net';
import type { Config } from '../../trace/recording/messages.js';
import {
  Conversation,
  newTokens,
  StrangerError,
  tokenOptions,
  type Tokens,
} from '../session/conversation.js';
import { TargetError } from '../target.js';
import { makePrivateFolder, type PrivateFolder } from './private-folder.js';

const handshakeMs = 15_000;

export type Log = (line: string) => void;

export class AgentListener {
  readonly #sockets = new Set<net.Socket>();
  readonly #server = net.createServer((socket) => this.#meet(socket));
  #deliver: ((conversation: Conversation) => void) | undefined;
  #config: Config | undefined;
  readonly #tokens: Tokens;
  #secret: string;
  readonly #log: Log;

  private constructor(
    readonly folder: PrivateFolder,
    tokens: Tokens,
    secret: string,
    log: Log,
  ) {
    this.#tokens = tokens;
    this.#secret = secret;
    this.#log = log;
  }

  /** `root` is the program's root folder as this process reaches it; empty when it is our own. */
  static async open(root: string, log: Log): Promise<AgentListener> {
    const tokens = newTokens();
    const listener = new AgentListener(await makePrivateFolder(root), tokens, '', log);
    try {
      listener.#secret = await listener.folder.writeSecret(tokenOptions(tokens));
      await new Promise<void>((resolve, reject) => {
        listener.#server.once('error', reject);
        listener.#server.listen(listener.folder.listenAt, resolve);
      });
    } catch (error) {
      await listener.close();
      throw new TargetError(
        'io',
        `The agent's socket could not be opened: ${error instanceof Error ? error.message : String(error)}.`,
        'Set TMPDIR to a writable folder on a local disk.',
        { cause: error },
      );
    }
    return listener;
  }

  /**
   * The agent's options, for attaching or for -agentpath. The tokens are in a file: command lines are open to every user, and a JVM
   * prints and logs its own.
   */
  get options(): string {
    return `socket=${this.folder.innerSocket},secret=${this.#secret}`;
  }

  /** The first connection that proves to be the agent's and that `wants` takes. Others are closed. */
  accept(
    config: Config,
    signal: AbortSignal,
    wants: (conversation: Conversation) => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<Conversation> {
    this.#config = config;
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#deliver = undefined;
        reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
      };
      if (signal.aborted) {
        stop();
        return;
      }
      signal.addEventListener('abort', stop, { once: true });
      this.#deliver = (conversation) => {
        void wants(conversation).then(
          (wanted) => {
            if (!wanted || !this.#deliver) {
              conversation.close();
              return;
            }
            this.#deliver = undefined;
            signal.removeEventListener('abort', stop);
            resolve(conversation);
          },
          () => conversation.close(),
        );
      };
    });
  }

  #meet(socket: net.Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    if (!this.#deliver || !this.#config) {
      socket.destroy();
      return;
    }
    Conversation.open(socket, this.#tokens, this.#config, handshakeMs).then(
      (conversation) => {
        if (this.#deliver) this.#deliver(conversation);
        else conversation.close();
      },
      (error: unknown) => {
        const why = error instanceof StrangerError ? error.message : String(error);
        this.#log(`dropped a connection to the agent's socket: ${why}`);
      },
    );
  }

  /** Takes no more connections; those there are stay. */
  stopListening(): void {
    if (this.#server.listening) this.#server.close();
  }

  /** Closes everything and removes the folder. */
  async close(): Promise<void> {
    this.stopListening();
    for (const socket of this.#sockets) socket.destroy();
    await this.folder.remove();
  }
}
