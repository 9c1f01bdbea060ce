/** Reads the Dockerfile as stages of instructions. */
import { readFileSync } from 'node:fs';
import { Copy, DockerfileParser, From, type Instruction } from 'dockerfile-ast';

export interface Stage {
  name: string | null;
  image: string;
  instructions: Instruction[];
}

/** The stages of the Dockerfile at the root of the checkout; the last one becomes the image. */
export function readStages(path = 'Dockerfile'): Stage[] {
  const stages: Stage[] = [];
  for (const instruction of DockerfileParser.parse(readFileSync(path, 'utf8')).getInstructions()) {
    if (instruction instanceof From)
      stages.push({
        name: instruction.getBuildStage(),
        image: instruction.getImage() ?? '',
        instructions: [],
      });
    else stages.at(-1)?.instructions.push(instruction);
  }
  return stages;
}

/** The parameters of every instruction with this keyword, continued lines joined and comments left out. */
export function listParameters({ instructions }: Stage, keyword: string): string[] {
  return instructions
    .filter((each) => each.getKeyword() === keyword)
    .map((each) => (each.getArgumentsContent() ?? '').replace(/\s*\\?\n\s*|\s{2,}/g, ' '));
}

/** The words of `["node", "-e", …]`; null for a line of a shell. */
export function readExecForm(parameters: string): string[] | null {
  const start = parameters.indexOf('[');
  if (start < 0) return null;
  try {
    return JSON.parse(parameters.slice(start)) as string[];
  } catch {
    return null;
  }
}

export interface CopiedFiles {
  /** The name of a stage; null: the context of the build. */
  from: string | null;
  sources: string[];
  to: string;
}

/** What an instruction COPY copies. */
export function readCopy(instruction: Copy): CopiedFiles {
  const paths = instruction.getArguments().map((each) => each.getValue());
  const flag = instruction.getFlags().find((each) => each.getName() === 'from');
  return { from: flag?.getValue() ?? null, sources: paths.slice(0, -1), to: paths.at(-1) ?? '' };
}

export { Copy };
