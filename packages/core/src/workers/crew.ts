/**
 * A crew: a fixed number of places for workers. It starts, watches, replaces and ends them, in Node
 * and in browsers; what they do is their owner's business.
 *
 * A worker gets a first message and answers READY. It counts as dead when it ends by itself, says
 * anything else first, is not ready in time, or has work and gives no sign of life for too long. The
 * owner hears of each death once, takes back what the worker had, and starts another in its place.
 * Workers that the owner ends die in silence.
 */

import type { ErrorFacts } from "../errors.js";
import type { Host, StartHost, WorkerEnd } from "./host.js";
import { READY } from "./port.js";

/** The death of a worker. */
export interface Death extends WorkerEnd {
  /** Whether it had been ready for work. */
  readonly wasReady: boolean;
  /** How many workers of the crew in a row, this one included, ended before they were ready. */
  readonly stillborn: number;
}

/** How workers are watched that may hang. */
export interface Watch {
  /** Milliseconds between two looks. */
  readonly every: number;
  /** Looks without a sign of life after which a worker is given up. */
  readonly looksMax: number;
  /** Something that changes while the worker gets on; undefined while it has nothing to do. */
  signs(place: number): string | undefined;
}

export interface CrewPlan<To, From> {
  readonly workers: number;
  readonly startHost: StartHost;
  /** Most milliseconds that a worker may take until it is ready; undefined: as long as it wants. */
  readonly startTimeMax?: number | undefined;
  readonly watch?: Watch | undefined;
  /** The first message to a worker. */
  first(place: number): To;
  ready(place: number): void;
  message(place: number, message: From): void;
  /** The worker of a place is gone. The owner may start another. */
  death(place: number, death: Death): void;
}

interface Member<To> {
  readonly host: Host<To>;
  isReady: boolean;
  /** Ends a worker that does not say it is ready. */
  timer: ReturnType<typeof setTimeout> | undefined;
  /** Looks since the last sign of life, and what the sign was. */
  looks: number;
  signs: string | undefined;
}

/** The longest time that timers can wait. */
const TIMER_MAX = 2 ** 31 - 1;

export class Crew<To, From> {
  readonly #plan: CrewPlan<To, From>;
  readonly #members: (Member<To> | undefined)[];
  readonly #looking: ReturnType<typeof setInterval> | undefined;
  #stillborn = 0;

  constructor(plan: CrewPlan<To, From>) {
    this.#plan = plan;
    this.#members = Array.from({ length: plan.workers }, () => undefined);
    const { watch } = plan;
    if (watch === undefined) return;
    this.#looking = setInterval(() => this.#look(watch), watch.every);
    letGo(this.#looking);
  }

  /** Whether there is a worker at a place, ready or not. */
  has(place: number): boolean {
    return this.#members[place] !== undefined;
  }

  isReady(place: number): boolean {
    return this.#members[place]?.isReady ?? false;
  }

  /** Starts a worker at an empty place. */
  start(place: number): void {
    if (this.has(place)) throw new Error(`place ${place} of a crew is taken`);
    const host = this.#plan.startHost<To, From | typeof READY>({
      message: (message) => {
        if (this.#members[place] === member) this.#hear(place, member, message);
      },
      death: (end) => {
        if (this.#members[place] === member) this.#bury(place, member, end);
      },
    });
    const member: Member<To> = {
      host,
      isReady: false,
      timer: undefined,
      looks: 0,
      signs: undefined,
    };
    this.#members[place] = member;
    const { startTimeMax } = this.#plan;
    if (startTimeMax !== undefined) {
      const facts = { reason: "silent", limit: startTimeMax } as const;
      const giveUp = () => this.kill(place, `not ready after ${startTimeMax} ms`, facts);
      member.timer = setTimeout(giveUp, Math.min(startTimeMax, TIMER_MAX));
    }
    host.post(this.#plan.first(place));
  }

  post(place: number, message: To, transfer?: ArrayBuffer[]): void {
    this.#members[place]?.host.post(message, transfer);
  }

  /** Whether the process must stay alive for the worker of a place. */
  hold(place: number, isBusy: boolean): void {
    this.#members[place]?.host.hold(isBusy);
  }

  /** Ends a worker that is of no use any more, as if it had died. */
  kill(place: number, message: string, facts: ErrorFacts): void {
    const member = this.#members[place];
    if (member === undefined) return;
    void member.host.end();
    this.#bury(place, member, { message, facts });
  }

  /** Ends a worker; its place is empty at once, and nobody hears of it. */
  async end(place: number): Promise<void> {
    const member = this.#members[place];
    if (member === undefined) return;
    this.#members[place] = undefined;
    clearTimeout(member.timer);
    await member.host.end();
  }

  /** Ends all workers. */
  async dispose(): Promise<void> {
    clearInterval(this.#looking);
    await Promise.all(this.#members.map((_, place) => this.end(place)));
  }

  #hear(place: number, member: Member<To>, message: From | typeof READY): void {
    member.looks = 0;
    if (member.isReady) {
      this.#plan.message(place, message as From);
      return;
    }
    if (message !== READY) {
      this.kill(place, "its code is not that of a pool's worker", { reason: "stranger" });
      return;
    }
    clearTimeout(member.timer);
    member.isReady = true;
    this.#stillborn = 0;
    this.#plan.ready(place);
  }

  #bury(place: number, member: Member<To>, end: WorkerEnd): void {
    this.#members[place] = undefined;
    clearTimeout(member.timer);
    if (!member.isReady) this.#stillborn += 1;
    this.#plan.death(place, { ...end, wasReady: member.isReady, stillborn: this.#stillborn });
  }

  #look({ signs, looksMax }: Watch): void {
    for (const [place, member] of this.#members.entries()) {
      const now = signs(place);
      if (member === undefined || now === undefined) continue;
      member.looks = now === member.signs ? member.looks + 1 : 0;
      member.signs = now;
      if (member.looks >= looksMax)
        this.kill(place, "it gave no sign of life", { reason: "stuck" });
    }
  }
}

/** A timer that keeps no process of Node alive. */
function letGo(timer: unknown): void {
  (timer as { unref?: () => void }).unref?.();
}
