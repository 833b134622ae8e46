/** One measured figure beside its reference, taken in the same run on the same machine. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  /** Median over all rounds. */
  readonly value: number;
  /** What the value is measured against, and its median. */
  readonly reference: { readonly name: string; readonly value: number };
  readonly ratio: number;
  readonly rounds: number;
  /** From the 10th to the 90th percentile of the value. */
  readonly spread: readonly [number, number];
}

export interface Samples {
  readonly name: string;
  readonly values: readonly number[];
}

export function figureOf(unit: string, measured: Samples, reference: Samples): Figure {
  const value = percentile(measured.values, 50);
  const against = percentile(reference.values, 50);
  return {
    name: measured.name,
    unit,
    value,
    reference: { name: reference.name, value: against },
    ratio: against === 0 ? Number.NaN : value / against,
    rounds: measured.values.length,
    spread: [percentile(measured.values, 10), percentile(measured.values, 90)],
  };
}

/** Nearest-rank percentile. */
function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1);
  return sorted[rank] ?? Number.NaN;
}

export function figureLine({ name, unit, value, reference, ratio, rounds, spread }: Figure): string {
  const [low, high] = spread.map((edge) => edge.toFixed(2));
  const against = `${reference.name} ${reference.value.toFixed(2)} ${unit}`;
  return `${name}: ${value.toFixed(2)} ${unit} (p10 ${low}, p90 ${high}, ${rounds} rounds); ${against}; ratio ${ratio.toFixed(2)}`;
}
