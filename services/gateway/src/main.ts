import { runService } from "@antler/platform";

runService(async () => {
  const { startGateway } = await import("./start-gateway.ts");
  await startGateway(process.env);
});
