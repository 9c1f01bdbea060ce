/** The page for those who read the data. */
import type { FastifyRequest } from 'fastify';
import { DataPage } from '../pages/data.tsx';
import { createDataView, dataQuery } from '../views/data-view.ts';
import type { Routing } from './routing.ts';

export function addDataRoutes({ options, frame, page }: Routing): void {
  page('/data', async (request) => {
    const view = await createDataView(options, dataQuery.parse(request.query), options.clock.now());
    return <DataPage {...frame} view={view} origin={getOrigin(request)} />;
  });
}

/** The host comes from a header: it goes into a line for a shell only if it is a plain name or address. */
function getOrigin({ protocol, host }: FastifyRequest): string {
  const isPlain = /^[\w.:[\]-]{1,253}$/.test(host);
  return `${protocol === 'https' ? 'https' : 'http'}://${isPlain ? host : 'HOST'}`;
}
