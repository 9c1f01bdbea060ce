/** What failed, in words for people; the message of a failure has the technical reason. Pure. */
import type { FailureKind } from '../../database/schema/runs.ts';

/** Clauses of which the service is the subject. */
const TEXTS: Record<FailureKind, (service: string) => string> = {
  connection: (service) => `${service} does not answer`,
  timeout: (service) => `${service} answers too slowly`,
  status: (service) => `${service} answers with an error`,
  redirect: (service) => `${service} redirects to another address`,
  html: (service) => `${service} answers with a web page instead of data`,
  truncated: (service) => `${service} breaks its answers off`,
  encoding: (service) => `${service} answers in an encoding that cannot be read`,
  shape: (service) => `${service} answers in a form that is not documented`,
  too_large: (service) => `${service} answers with more than can be read`,
  refused: (service) => `${service} refuses the requests`,
  final: (service) => `${service} refuses the requests`,
  restricted: (service) => `${service} asks for fewer requests`,
  foreign: (service) => `${service} answers with the videos of another package`,
  parked: () => 'the requests have to wait',
  preempted: () => 'another run goes first',
  skipped: () => 'left out after other failures',
  interrupted: () => 'the run was stopped',
  clock: () => 'the clocks of the service and of this machine differ',
  defect: () => 'vodhouse itself failed',
  unknown: () => 'the reason is not known',
};

/** A failure of this kind as a clause: `the service of west does not answer`. */
export function describeFailure(kind: FailureKind, service = 'the service'): string {
  return TEXTS[kind](service);
}
