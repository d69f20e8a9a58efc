// SPDX-License-Identifier: Apache-2.0

/// A position at which parsing can resume, with the state of the tape up to there.
struct ParseCheckpoint {
    /// The offset of a key, of an element, or after a value.
    var offset = 0
    /// The offset of the incomplete token.
    var tokenOffset = 0
    /// The number of nodes on the tape.
    var count = 0
    /// The index of the innermost open container; -1 for none.
    var container = -1
    /// The number of its complete members.
    var members = 0
    /// The number of open containers.
    var depth = 0
    /// A Boolean value that indicates whether a comma or closing bracket is expected.
    var isAfterValue = false

    /// The beginning of the text.
    static let beginning = ParseCheckpoint()
}
