/** The addresses of the pages of packages, videos and storage. */

export function packagePath({ account, package_id: id }: { account: string; package_id: number }): string {
  return `/packages/${encodeURIComponent(account)}/${id}`;
}

export function storageDaysPath(account: string): string {
  return `/storage/${encodeURIComponent(account)}`;
}

export function videoPath(video: { account: string; package_id: number; id: number }): string {
  return `${packagePath(video)}/videos/${video.id}`;
}

export function runPath(runId: number): string {
  return `/runs/${runId}`;
}
