/** The aliases of a YAML document: their targets, and how many values they add. A few lines may add millions. */
import { isAlias, isCollection, isPair, visit } from 'yaml';
import type { Alias, Document, Node } from 'yaml';

/** How many values all aliases of a file may add. A usual config has some hundreds. */
export const MAX_ALIASED_VALUES = 100_000;
/** How deep values may be nested, with aliases followed. */
const MAX_DEPTH = 100;

/** The target of each alias: the last node before it that has the anchor; none if there is no such node. */
export type Targets = ReadonlyMap<Alias, Node>;

/** Finds all targets in one pass: a search for each alias would take quadratic time. */
export function resolveAliases(document: Document.Parsed): Targets {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(document, {
    Node: (_key, node) => {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
        return;
      }
      const target = anchors.get(node.source);
      if (target) targets.set(node, target);
    },
  });
  return targets;
}

/** The first alias that makes the aliases of the document add too many values; undefined where none does. */
export function findOversizedAlias(document: Document.Parsed, targets: Targets): Alias | undefined {
  const sizes = new Map<unknown, number>();
  let aliased = 0;
  let found: Alias | undefined;
  visit(document, {
    Alias: (_key, alias) => {
      aliased += countValues(alias, targets, sizes);
      if (aliased <= MAX_ALIASED_VALUES) return undefined;
      found = alias;
      return visit.BREAK;
    },
  });
  return found;
}

/** The number of values of a node with all aliases followed; Infinity above the depth limit. Each node is counted once. */
function countValues(node: unknown, targets: Targets, sizes: Map<unknown, number>, depth = 0): number {
  const cached = sizes.get(node);
  if (cached !== undefined) return cached;
  if (depth > MAX_DEPTH) return Infinity;
  sizes.set(node, 1); // for an alias inside its own target
  const sizesInside = getChildren(node, targets).map((part) => countValues(part, targets, sizes, depth + 1));
  const size = sizesInside.reduce((sum, each) => sum + each, 1);
  sizes.set(node, size);
  return size;
}

function getChildren(node: unknown, targets: Targets): readonly unknown[] {
  if (isAlias(node)) return [targets.get(node)];
  if (isPair(node)) return [node.key, node.value];
  return isCollection(node) ? node.items : [];
}
