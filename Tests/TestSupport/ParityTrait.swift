// SPDX-License-Identifier: Apache-2.0

package import Testing

/// Names the rows of the specification or of the threat model that a test proves.
///
/// A test carries a row only if it would fail were the row's behaviour wrong. On a suite, the
/// rows count for every test in it. Before a test runs, its rows are written to the file named by
/// the environment variable `RESTKIT_ROWS`; `scripts/parity` joins that file with the verdicts.
package struct ParityTrait: TestTrait, SuiteTrait {
    /// The ids of the rows, such as `M014` or `T31`.
    package let rows: [String]

    package var isRecursive: Bool { true }

    package func prepare(for test: Test) async throws {
        guard !test.isSuite else { return }
        try RowLog.shared?.record(rows, for: test.id)
    }
}

extension Trait where Self == ParityTrait {
    /// The rows of the behaviour specification that this test proves, such as `"M014"`.
    package static func parity(_ rows: String...) -> Self {
        Self(rows: rows)
    }

    /// The rows of the threat model that this test proves, such as `"T31"`.
    package static func threat(_ rows: String...) -> Self {
        Self(rows: rows)
    }
}
