export default function Fleet({ room }: { room: string | null }) {
  return <p>{room}</p>;
}
