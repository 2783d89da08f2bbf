export default function History({ room }: { room: string }) {
  return <p>{room}</p>;
}
