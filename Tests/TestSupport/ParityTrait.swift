// SPDX-License-Identifier: Apache-2.0

package import Testing

/// A trait with the rows of the specification or of the threat model that a test proves.
///
/// A test has a row only if it fails when the row's behavior is wrong. The rows of a suite apply to
/// all of its tests. Before a test runs, its rows are written to the file in the environment variable
/// `RESTKIT_ROWS`, which `scripts/parity` joins with the results.
package struct ParityTrait: TestTrait, SuiteTrait {
    /// The identifiers of the rows, such as `M014` or `T31`.
    package let rows: [String]

    package var isRecursive: Bool { true }

    package func prepare(for test: Test) async throws {
        guard !test.isSuite else { return }
        try RowLog.shared?.record(rows, for: test.id)
    }
}

extension Trait where Self == ParityTrait {
    /// Returns a trait with rows of the behavior specification, such as `"M014"`.
    package static func parity(_ rows: String...) -> Self {
        Self(rows: rows)
    }

    /// Returns a trait with rows of the threat model, such as `"T31"`.
    package static func threat(_ rows: String...) -> Self {
        Self(rows: rows)
    }
}
