// SPDX-License-Identifier: Apache-2.0

/// Work whose instructions are counted.
struct Workload: Sendable {
    /// What the table calls it.
    let name: String
    /// Makes what the work needs: how many bytes it is about, and one pass over them.
    let prepare: @Sendable () throws -> (byteCount: Int, pass: () throws -> Void)

    /// Work on one text.
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

/// Runs one pass; valgrind counts only what happens in here, and knows it by its name.
@inline(never)
func countedPass(_ pass: () throws -> Void) rethrows {
    try pass()
}

/// Takes a value so that the work of making it is not left out.
@inline(never)
func use<Value>(_ value: Value) {
    withExtendedLifetime(value) {}
}
