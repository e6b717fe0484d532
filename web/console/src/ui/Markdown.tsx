import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Inline } from "../logic/inline";
import { type Block, type Item, parseMarkdown } from "../logic/markdown";
import { visible } from "../logic/visible";
import { CodeBlock } from "./CodeBlock";
import { TickMark } from "./TickMark";
import { Visible } from "./Visible";

/** Draws Markdown from data, never from HTML. */
export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  return <div class="markdown">{blocks.map(drawBlock)}</div>;
}

function drawBlock(block: Block, key: number): ComponentChildren {
  switch (block.kind) {
    case "heading":
      // One level for all: the author's heading levels must not disturb the page's own outline.
      return <h3 key={key} class={`heading level-${block.level}`}>{block.children.map(drawInline)}</h3>;
    case "paragraph":
      return <p key={key}>{block.children.map(drawInline)}</p>;
    case "code":
      return <CodeBlock key={key} text={block.text} language={block.language} />;
    case "quote":
      return <blockquote key={key}>{block.blocks.map(drawBlock)}</blockquote>;
    case "list": {
      const items = block.items.map(drawItem);
      return block.isOrdered ? <ol key={key} start={block.start}>{items}</ol> : <ul key={key}>{items}</ul>;
    }
    case "table":
      return (
        <table key={key}>
          <thead><tr>{block.header.map((cell, at) => <th key={at}>{cell.map(drawInline)}</th>)}</tr></thead>
          <tbody>{block.rows.map((row, at) => <tr key={at}>{row.map((cell, index) => <td key={index}>{cell.map(drawInline)}</td>)}</tr>)}</tbody>
        </table>
      );
    case "rule":
      return <hr key={key} />;
  }
}

function drawItem({ tick, blocks }: Item, key: number): ComponentChildren {
  if (!tick) return <li key={key}>{blocks.map(drawBlock)}</li>;
  return <li key={key} class={`ticked ${tick}`}><TickMark tick={tick} /><div>{blocks.map(drawBlock)}</div></li>;
}

function drawInline(part: Inline, key: number): ComponentChildren {
  switch (part.kind) {
    case "text":
      return <Visible key={key} text={part.text} />;
    case "code":
      return <code key={key}><Visible text={part.text} /></code>;
    case "link":
      return <a key={key} href={part.href} title={visible(part.href)} target="_blank" rel="noopener noreferrer nofollow">{part.children.map(drawInline)}</a>;
    case "strong":
      return <strong key={key}>{part.children.map(drawInline)}</strong>;
    case "em":
      return <em key={key}>{part.children.map(drawInline)}</em>;
    case "del":
      return <del key={key}>{part.children.map(drawInline)}</del>;
  }
}
