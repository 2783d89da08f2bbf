import { Typography } from "@mantine/core";
import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";

/** Without HTML: what a job writes is never run. */
export default function Markdown({ text }: { text: string }) {
  return (
    <Typography>
      <ReactMarkdown remarkPlugins={[remarkGfm]}>{text}</ReactMarkdown>
    </Typography>
  );
}
