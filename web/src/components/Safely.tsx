import { Component, type ReactNode } from "react";
import { Trouble } from "./Trouble";

/** A part that breaks says so, and takes nothing else with it. */
export class Safely extends Component<{ children: ReactNode }, { error: Error | null }> {
  state = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  render() {
    const { error } = this.state;
    return error ? (
      <Trouble error={error} retry={() => this.setState({ error: null })} />
    ) : (
      this.props.children
    );
  }
}
