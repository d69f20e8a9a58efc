// SPDX-License-Identifier: Apache-2.0

/// A writer for one value with a layout or sorted keys, with a list of open containers instead of
/// recursion.
struct LayoutWriter {
    /// An open container.
    private struct Frame {
        let isObject: Bool
        /// A Boolean value that indicates whether `next` and `end` are positions in `order` instead
        /// of the tape.
        let isSorted: Bool
        let start: Int
        var next: Int
        let end: Int
    }

    /// The output.
    private(set) var output: [UInt8] = []

    private let indentation: Int?
    private let spaces: [UInt8]
    private let sortsKeys: Bool
    private let dropsRepeatedKeys: Bool
    private var frames: [Frame] = []
    /// The sorted keys of the open objects, innermost last.
    private var order: [Int] = []

    init(_ writer: JSONWriter, dropsRepeatedKeys: Bool = false) {
        self.dropsRepeatedKeys = dropsRepeatedKeys
        sortsKeys = writer.sortsKeys
        switch writer.layout {
        case .compact:
            indentation = nil
            spaces = []
        case .pretty(let width):
            let width = max(width, 0)
            indentation = width
            spaces = Array(repeating: UInt8(ascii: " "), count: width * 64)
        }
    }

    /// Writes a value with its content.
    ///
    /// Invariant: the caller keeps the document alive during the call; strings and numbers are
    /// copied.
    mutating func write(_ root: NodeView) {
        begin(root)
        while let frame = frames.last {
            let top = frames.count - 1
            guard frame.next < frame.end else {
                frames.removeLast()
                if frame.isSorted { order.removeSubrange(frame.start...) }
                breakLine()
                output.append(frame.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
                continue
            }
            if frame.next > frame.start { output.append(UInt8(ascii: ",")) }
            breakLine()
            var value = root.at(frame.isSorted ? order[frame.next] : frame.next)
            if frame.isObject {
                appendText(value)
                output.append(UInt8(ascii: ":"))
                if indentation != nil { output.append(UInt8(ascii: " ")) }
                value = root.at(value.index + 1)
            }
            frames[top].next = frame.isSorted ? frame.next + 1 : value.nextIndex
            begin(value)
        }
    }

    /// Writes a scalar or an empty container, or begins a container.
    private mutating func begin(_ value: NodeView) {
        switch value.kind {
        case .array where value.count > 0:
            output.append(UInt8(ascii: "["))
            frames.append(
                Frame(
                    isObject: false, isSorted: false, start: value.index + 1,
                    next: value.index + 1, end: value.contentEnd))
        case .object where value.count > 0:
            output.append(UInt8(ascii: "{"))
            var (start, end) = (value.index + 1, value.contentEnd)
            let isSorted = sortsKeys || dropsRepeatedKeys
            if isSorted {
                start = order.count
                let keys = dropsRepeatedKeys ? value.sortedDistinctKeys() : value.sortedKeys()
                order += sortsKeys ? keys : keys.sorted()
                end = order.count
            }
            frames.append(
                Frame(isObject: true, isSorted: isSorted, start: start, next: start, end: end))
        case .array:
            output += "[]".utf8
        case .object:
            output += "{}".utf8
        case .string, .escapedString:
            appendText(value)
        case .null:
            output += "null".utf8
        case .true:
            output += "true".utf8
        case .false:
            output += "false".utf8
        default:
            unsafe output.append(contentsOf: value.numberBytes)
        }
    }

    private mutating func appendText(_ value: NodeView) {
        output.append(UInt8(ascii: "\""))
        unsafe output.append(
            contentsOf: UnsafeBufferPointer(
                start: value.contentPointer, count: value.contentLength))
        output.append(UInt8(ascii: "\""))
    }

    private mutating func breakLine() {
        guard let indentation else { return }
        output.append(UInt8(ascii: "\n"))
        output += spaces.prefix(indentation * min(frames.count, 64))
    }
}
