import { useQuery } from "@tanstack/react-query";
import { ErrorMessage } from "@/components/ErrorMessage";
import { dataUrl } from "./content";
import classes from "./Results.module.css";
import { readArtifact } from "./readArtifact";

/** An image. The server serves SVG as a mere file, so that it cannot act on the page; inside `img` it cannot. */
export function Picture(props: { address: string; mediaType: string; name: string }) {
  const { address, mediaType, name } = props;
  return mediaType === "image/svg+xml" && !address.startsWith("data:") ? (
    <Svg address={address} name={name} />
  ) : (
    <img src={address} alt={name} className={classes.image} />
  );
}

function Svg({ address, name }: { address: string; name: string }) {
  const image = useQuery({
    queryKey: ["contents", address, "svg"],
    queryFn: async () => {
      const body = await (await readArtifact(address)).arrayBuffer();
      return dataUrl(new Blob([body], { type: "image/svg+xml" }));
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (image.isError) return <ErrorMessage error={image.error} />;
  return image.data ? <img src={image.data} alt={name} className={classes.image} /> : null;
}
