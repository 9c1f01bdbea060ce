/** A text that replaced another one, with the words that differ. */
import type { VNode } from 'preact';
import { diffWords, type DiffPart } from './word-diff.ts';

type TextChangeProps = {
  old: string | null;
  text: string | null;
  /** How a text is shown that has too little in common with the other one, or that is missing or empty. */
  show: (text: string | null) => VNode;
};

/** Both texts as one. */
export function TextChange({ old, text, show }: TextChangeProps) {
  const parts = diff(old, text);
  if (parts) return <Parts parts={parts} />;
  return (
    <span class="titles">
      <del>{show(old)}</del> <ins>{show(text)}</ins>
    </span>
  );
}

function diff(old: string | null, text: string | null): DiffPart[] | null {
  return old === null || text === null || old.trim() === '' || text.trim() === ''
    ? null
    : diffWords(old, text);
}

/** Each part is isolated: a mark of direction in one must not turn the others around. */
function Parts({ parts }: { parts: readonly DiffPart[] }) {
  return (
    <span class="text">
      {parts.map(({ text, side }, index) => {
        const part = <bdi key={index}>{text}</bdi>;
        if (side === 'both') return part;
        return side === 'old' ? <del key={index}>{part}</del> : <ins key={index}>{part}</ins>;
      })}
    </span>
  );
}
