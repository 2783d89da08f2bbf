export default function Chat({ room, me }: { room: string; me: string }) {
  return <span hidden>{room + me}</span>;
}
