/** Reads the Dockerfile as stages of instructions. */
import { readFileSync } from 'node:fs';

export interface Instruction {
  keyword: string;
  /** Continued lines joined, comments left out. */
  parameters: string;
}

export interface Stage {
  name: string | null;
  image: string;
  instructions: Instruction[];
}

/** The stages of the Dockerfile at the root of the checkout; the last one becomes the image. */
export function readStages(): Stage[] {
  const stages: Stage[] = [];
  const text = readFileSync('Dockerfile', 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\s*\\\n\s*/g, ' ');
  for (const line of text.split('\n').filter(Boolean)) {
    const [, keyword = '', parameters = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    const [, image = '', name = null] = /^(\S+)(?: AS (\S+))?$/.exec(parameters) ?? [];
    if (keyword === 'FROM') stages.push({ name, image, instructions: [] });
    else stages.at(-1)?.instructions.push({ keyword, parameters });
  }
  return stages;
}

/** The parameters of every instruction with this keyword. */
export const listParameters = ({ instructions }: Stage, keyword: string): string[] =>
  instructions.filter((each) => each.keyword === keyword).map(({ parameters }) => parameters);

/** What an instruction COPY copies; from null: the context of the build. */
export function readCopy(parameters: string): { from: string | null; sources: string[]; to: string } {
  const [, from = null, paths = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(parameters) ?? [];
  const words = paths.split(' ');
  return { from, sources: words.slice(0, -1), to: words.at(-1) ?? '' };
}

/** The program and its arguments of `… ["node", "-e", …]`. */
export const readExecForm = (parameters: string) =>
  JSON.parse(parameters.slice(parameters.indexOf('['))) as string[];
