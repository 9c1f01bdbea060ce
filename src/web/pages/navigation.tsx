/** The navigation of every page, and the way back to the pages above one. */

const ITEMS = [
  { name: 'status', text: 'Status', href: '/' },
  { name: 'packages', text: 'Packages', href: '/packages' },
  { name: 'changes', text: 'Changes', href: '/changes' },
  { name: 'storage', text: 'Storage', href: '/storage' },
  { name: 'runs', text: 'Runs', href: '/runs' },
  { name: 'data', text: 'Data', href: '/data' },
] as const;

export type NavigationItem = (typeof ITEMS)[number]['name'];

export interface Crumb {
  text: string;
  href: string;
}

export function Navigation({ current }: { current: NavigationItem | undefined }) {
  return (
    <nav class="navigation" aria-label="Pages of vodhouse">
      {ITEMS.map(({ name, text, href }) => (
        <a key={name} href={href} aria-current={name === current ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}

export function Breadcrumbs({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <nav class="crumbs" aria-label="Breadcrumb">
      <ol>
        {crumbs.map(({ text, href }) => (
          <li key={href}>
            <a href={href}>
              <bdi>{text}</bdi>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}
