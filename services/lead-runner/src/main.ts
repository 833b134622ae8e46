import { runService } from "@antler/platform";

runService(async () => {
  const { runLeadRunner } = await import("./run-lead-runner.ts");
  await runLeadRunner(process.env);
});
