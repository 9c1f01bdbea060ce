/** The few signs of Markdown that the questions of the docs use: paragraphs, code, and links, which are shown as text. */

export function Paragraphs({ text }: { text: string }) {
  return (
    <>
      {text === ''
        ? null
        : text.split('\n\n').map((paragraph) => <p key={paragraph}>{toInline(paragraph)}</p>)}
    </>
  );
}

function toInline(paragraph: string) {
  const text = paragraph
    .replaceAll(/ \(\[[^\]]*\]\([^)]*\)\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}
