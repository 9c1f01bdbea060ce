/** The page of all lists of videos and changes; the search of the header opens it. */
import type { ListView } from '../views/list-view.ts';
import { Page, type PageFrame } from './layout.tsx';
import { VideoList, type PackageChoice } from './list.tsx';
import { Section } from './section.tsx';

interface ChangesPageProps extends PageFrame {
  view: ListView;
  packages: readonly PackageChoice[];
}

export function ChangesPage({ view, packages, ...frame }: ChangesPageProps) {
  const { q } = view.query;
  return (
    <Page {...frame} title={q ?? 'Changes'} current="changes" styles={['lists.css']}>
      <Section name="changes" heading="Videos and changes" isPage>
        <VideoList view={view} path="/changes" packages={packages} name="changes" />
      </Section>
    </Page>
  );
}
