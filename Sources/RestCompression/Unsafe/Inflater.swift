// SPDX-License-Identifier: Apache-2.0

import CZlib
package import RestTransport

/// A streaming decoder of gzip and deflate whose output per call is limited.
///
/// - Source: RFC 1950, RFC 1951, RFC 1952; RFC 9110 §8.4.1.
@safe package final class Inflater {
    /// The error of bytes that are not valid in the content coding.
    package struct DataError: Error {}

    /// The maximum number of decoded bytes per call.
    private static let outputByteCount = 64 << 10

    /// The largest expansion of deflate: a copy of 258 bytes takes two bits (RFC 1951 §3.2.5).
    private static let maximumExpansion = 258 * 4

    private let coding: ContentCoding
    // Invariant: zlib keeps the address of the stream, so the stream is allocated on its own. It is
    // initialized from `init` to `deinit`.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isStarted = false
    private var firstBytes: [UInt8] = []

    private var isAtEnd = false

    /// A Boolean value that indicates whether the last output was full, so that zlib may hold more.
    private var mayHoldOutput = false

    /// The number of bytes consumed so far.
    package private(set) var encodedByteCount = 0

    /// A Boolean value that indicates whether the bytes so far are an incomplete stream.
    ///
    /// No bytes at all count as complete.
    package var isTruncated: Bool { !isAtEnd && (encodedByteCount > 0 || !firstBytes.isEmpty) }

    /// Creates a decoder.
    package init(_ coding: ContentCoding) {
        self.coding = coding
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deinitialize(count: 1)
        unsafe stream.deallocate()
    }

    /// Decodes a part of the input.
    ///
    /// - Parameter input: Encoded bytes, from which the consumed ones are removed.
    /// - Returns: At most 64 KiB; an empty array only if the whole input has been consumed.
    /// - Throws: ``DataError`` if the bytes are not valid.
    package func decode(_ input: inout ArraySlice<UInt8>) throws(DataError) -> [UInt8] {
        try start(&input)
        while isStarted, !input.isEmpty || mayHoldOutput {
            // A gzip file may have several members.
            if isAtEnd {
                guard coding == .gzip, unsafe inflateReset(stream) == Z_OK else {
                    throw DataError()
                }
                isAtEnd = false
            }
            let output = try inflate(&input)
            if !output.isEmpty { return output }
        }
        return []
    }

    private func inflate(_ input: inout ArraySlice<UInt8>) throws(DataError) -> [UInt8] {
        var result = Z_OK
        var consumedCount = 0
        // Input may arrive byte by byte, and must not cost a full buffer each time.
        let capacity = min(Self.outputByteCount, (input.count + 1) * Self.maximumExpansion)
        let decoded = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { (output, count) in
            unsafe input.withUnsafeBufferPointer { input in
                // zlib does not write to its input.
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                unsafe stream.pointee.avail_in = UInt32(clamping: input.count)
                let availableCount = unsafe Int(stream.pointee.avail_in)
                unsafe stream.pointee.next_out = output.baseAddress
                unsafe stream.pointee.avail_out = UInt32(capacity)
                result = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
                consumedCount = unsafe availableCount - Int(stream.pointee.avail_in)
                unsafe count = capacity - Int(stream.pointee.avail_out)
            }
        }
        input.removeFirst(consumedCount)
        encodedByteCount += consumedCount
        isAtEnd = result == Z_STREAM_END
        mayHoldOutput = decoded.count == capacity && !isAtEnd
        guard isAtEnd || result == Z_OK || (result == Z_BUF_ERROR && input.isEmpty) else {
            throw DataError()
        }
        return decoded
    }

    /// Detects the format from the first two bytes and starts decoding.
    private func start(_ input: inout ArraySlice<UInt8>) throws(DataError) {
        guard !isStarted else { return }
        var windowBits: Int32 = 15 + 16
        if coding == .deflate {
            let missing = input.prefix(2 - firstBytes.count)
            firstBytes += missing
            input.removeFirst(missing.count)
            guard firstBytes.count == 2 else { return }
            // Some servers send raw deflate without the zlib format that RFC 9110 requires.
            let number = Int(firstBytes[0]) << 8 | Int(firstBytes[1])
            windowBits = firstBytes[0] & 0x0F == 8 && number % 31 == 0 ? 15 : -15
            input = (firstBytes + input)[...]
        }
        guard unsafe czlib_inflate_init(stream, windowBits) == Z_OK else { throw DataError() }
        isStarted = true
    }
}
