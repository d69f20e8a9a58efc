// SPDX-License-Identifier: Apache-2.0

/// A workload whose instructions are counted.
struct Workload: Sendable {
    /// All workloads.
    static let all = document + mapping + persistence + network

    /// The name in the table.
    let name: String
    /// Prepares the workload and returns the number of input bytes and a closure for one pass.
    let prepare: @Sendable () throws -> (byteCount: Int, pass: () throws -> Void)

    /// Creates a workload on one text.
    init(
        _ name: String, _ text: @escaping @Sendable () -> String,
        _ prepare: @escaping @Sendable ([UInt8]) throws -> () throws -> Void
    ) {
        self.name = name
        self.prepare = {
            let bytes = Array(text().utf8)
            return (bytes.count, try prepare(bytes))
        }
    }
}

/// Runs one pass; valgrind counts only instructions inside this function, found by its name.
@inline(never)
func countedPass(_ pass: () throws -> Void) rethrows {
    try pass()
}

/// Consumes a value, so that the optimizer keeps the computation of it.
@inline(never)
func use<Value>(_ value: Value) {
    withExtendedLifetime(value) {}
}
