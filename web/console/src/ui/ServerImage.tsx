import { fetchFile } from "@handrail/host";
import { useEffect, useRef, useState } from "preact/hooks";

interface ServerImageProps {
  url: string;
  alt: string;
  class?: string;
  width?: number;
  height?: number;
  onGone?: () => void;
}

/** A picture of the server's. It is fetched by script, with the page's secret, and once it comes into view. */
export function ServerImage({ url, alt, onGone, ...rest }: ServerImageProps) {
  const image = useRef<HTMLImageElement>(null);
  const [source, setSource] = useState<string | undefined>(undefined);

  useEffect(() => {
    let made: string | null = null;
    let isOver = false;
    const load = async (): Promise<void> => {
      try {
        const blob = await fetchFile(url);
        if (isOver) return;
        made = URL.createObjectURL(blob);
        setSource(made);
      } catch {
        if (!isOver) onGone?.();
      }
    };
    const seen = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        seen.disconnect();
        void load();
      },
      { rootMargin: "300px" },
    );
    if (image.current) seen.observe(image.current);
    return () => {
      isOver = true;
      seen.disconnect();
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [url]);

  return <img ref={image} src={source} data-url={url} alt={alt} decoding="async" onError={() => source !== undefined && onGone?.()} {...rest} />;
}
