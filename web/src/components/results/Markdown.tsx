import { Typography } from "@mantine/core";
import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";

/** HTML is not rendered: a job's output is never executed. */
export default function Markdown({ text }: { text: string }) {
  return (
    <Typography>
      <ReactMarkdown remarkPlugins={[remarkGfm]}>{text}</ReactMarkdown>
    </Typography>
  );
}
