/** A resource identifier object: what relationships hold. */
export interface Linkage {
  type: string;
  id: string;
}
