// SPDX-License-Identifier: Apache-2.0

/// The state of a value that has its own encoder.
struct EncodingRecord: BitwiseCopyable {
    /// The kind of the encoded value.
    enum Kind: UInt8, BitwiseCopyable {
        case empty
        case scalar
        case array
        case object
    }

    /// The phases of the encoding.
    enum State: UInt8, BitwiseCopyable {
        case open
        /// Another value was begun after it; further content needs a new segment.
        case closed
        /// The encoding failed and was rolled back; further content is discarded.
        case dropped
    }

    var kind = Kind.empty
    var state = State.open
    /// A Boolean value that indicates whether another text contains the brackets.
    var isContinued = false
    /// The text that contains the value.
    var text: Int
    /// The end of the value in its text, once it is closed.
    var end = 0
    /// The number of members or elements so far.
    var count = 0
    /// The record of the enclosing container; -1 for none.
    let parent: Int
    /// The position in the parent, or the offset of the key in `stepText`.
    let step: Int
    let stepText: Int
    /// The number of key hashes before its own.
    var firstHash = 0

    init(text: Int, parent: Int, step: Int) {
        self.text = text
        self.parent = parent
        self.step = step
        stepText = text
    }
}

/// Content that was encoded after its container had been closed.
struct Segment {
    let record: Int
    /// The text that the segment belongs to, and the offset in it.
    let enclosingText: Int
    let offset: Int
    /// The text of the segment; -1 for an empty object.
    let text: Int
}
