import { Component, type ReactNode } from "react";
import { ErrorMessage } from "./ErrorMessage";

/** Shows an error in place of a part that crashed. The rest of the page keeps working. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  state = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  render() {
    const { error } = this.state;
    return error ? (
      <ErrorMessage error={error} retry={() => this.setState({ error: null })} />
    ) : (
      this.props.children
    );
  }
}
