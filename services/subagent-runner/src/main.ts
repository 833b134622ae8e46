import { runService } from "@antler/platform";

runService(async () => {
  const { runSubagentRunner } = await import("./run-subagent-runner.ts");
  await runSubagentRunner(process.env);
});
