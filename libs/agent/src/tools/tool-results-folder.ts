/**
 * Where whole outputs lie that a conversation shows in part; not among what an agent has produced. Its files are found by
 * `ls`, `glob` and `grep` like any other: an agent may look for an output whose path a summary took away.
 */
export const TOOL_RESULTS_FOLDER = "/mnt/user-data/outputs/.tool-results";
