import { Component, type ComponentChildren } from "preact";
import { messageOf } from "../shell/failure";
import { texts } from "../store";

interface BoundaryProps {
  isHidden?: boolean;
  children: ComponentChildren;
}

/** Wraps a part of the page: if it crashes, the rest keeps working and the person sees the error. */
export class Boundary extends Component<BoundaryProps, { error: unknown }> {
  override state = { error: null };

  static override getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    const t = texts.value;
    return (
      <section class="broken" role="alert" hidden={this.props.isHidden}>
        <h2>{t.broken}</h2>
        <pre tabIndex={0}>{messageOf(error)}</pre>
        <p class="sub">{t.brokenHint}</p>
        <p class="row">
          <button type="button" class="primary" onClick={() => location.reload()}>{t.reload}</button>
          <button type="button" class="plain" onClick={() => this.setState({ error: null })}>{t.retry}</button>
        </p>
      </section>
    );
  }
}
