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

/** A picture from the server, fetched by script, with the page's secret, once it comes into view. */
export function ServerImage({ url, alt, onGone, ...rest }: ServerImageProps) {
  const image = useRef<HTMLImageElement>(null);
  const [source, setSource] = useState<string | undefined>(undefined);

  useEffect(() => {
    let objectUrl: string | null = null;
    let isOver = false;
    const load = async (): Promise<void> => {
      try {
        const blob = await fetchFile(url);
        if (isOver) return;
        objectUrl = URL.createObjectURL(blob);
        setSource(objectUrl);
      } catch {
        if (!isOver) onGone?.();
      }
    };
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        void load();
      },
      { rootMargin: "300px" },
    );
    if (image.current) observer.observe(image.current);
    return () => {
      isOver = true;
      observer.disconnect();
      if (objectUrl !== null) URL.revokeObjectURL(objectUrl);
    };
  }, [url]);

  return <img ref={image} src={source} data-url={url} alt={alt} decoding="async" onError={() => source !== undefined && onGone?.()} {...rest} />;
}
