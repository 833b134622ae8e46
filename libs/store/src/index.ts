export type { CancelMark, Claim, DeadLetterRow, Duty, RunRow, TaskRow, ThreadRow, TicketRecord, WorkRow } from "./rows.ts";
