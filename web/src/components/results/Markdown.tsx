import { Typography } from "@mantine/core";
import ReactMarkdown, { type Options } from "react-markdown";
import rehypeHighlight from "rehype-highlight";
import rehypeKatex from "rehype-katex";
import remarkGfm from "remark-gfm";
import remarkMath from "remark-math";
import "./Markdown.css";

const REMARK: Options["remarkPlugins"] = [remarkGfm, remarkMath];
// MathML needs no fonts; the limits keep a hostile formula from growing without end.
const REHYPE: Options["rehypePlugins"] = [
  [rehypeKatex, { output: "mathml", maxExpand: 100, maxSize: 20, strict: false, errorColor: "inherit" }],
  rehypeHighlight,
];

/** With maths and coloured code. HTML is not rendered: a job's output is never executed. */
export default function Markdown({ text }: { text: string }) {
  return (
    <Typography className="markdown">
      <ReactMarkdown remarkPlugins={REMARK} rehypePlugins={REHYPE}>
        {text}
      </ReactMarkdown>
    </Typography>
  );
}
