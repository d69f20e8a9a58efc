// SPDX-License-Identifier: Apache-2.0

import CZlib
package import RestTransport

/// Decodes a body that was compressed with gzip or deflate, a bounded piece at a time.
///
/// - Source: RFC 1950, RFC 1951, RFC 1952; RFC 9110 §8.4.1.
@safe package final class Inflater {
    /// The bytes are not what the coding says.
    package struct Fault: Error {}

    private static let pieceByteCount = 64 << 10

    private let coding: ContentCoding
    // Invariant: zlib keeps the address of the stream, so it has memory of its own, which is
    // initialized from `init` to `deinit`.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isStarted = false
    private var firstBytes: [UInt8] = []

    private var isAtEnd = false

    /// The bytes taken so far.
    package private(set) var encodedByteCount = 0

    /// Whether the bytes so far are not a whole; no bytes at all are one.
    package var isCut: Bool { !isAtEnd && (encodedByteCount > 0 || !firstBytes.isEmpty) }

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

    /// Decodes some of the input.
    ///
    /// - Parameter input: Encoded bytes; what was used is removed.
    /// - Returns: At most 64 KiB; nothing only when all of the input has been used.
    /// - Throws: ``Fault``.
    package func decode(_ input: inout ArraySlice<UInt8>) throws(Fault) -> [UInt8] {
        try start(&input)
        while isStarted, !input.isEmpty {
            // A gzip file may have several members.
            if isAtEnd {
                guard coding == .gzip, unsafe inflateReset(stream) == Z_OK else { throw Fault() }
                isAtEnd = false
            }
            let piece = try inflate(&input)
            if !piece.isEmpty { return piece }
        }
        return []
    }

    private func inflate(_ input: inout ArraySlice<UInt8>) throws(Fault) -> [UInt8] {
        var result = Z_OK
        var usedCount = 0
        let piece = unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceByteCount) {
            (output, count) in
            unsafe input.withUnsafeBufferPointer { input in
                // zlib does not write to its input.
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                unsafe stream.pointee.avail_in = UInt32(clamping: input.count)
                let offered = unsafe Int(stream.pointee.avail_in)
                unsafe stream.pointee.next_out = output.baseAddress
                unsafe stream.pointee.avail_out = UInt32(output.count)
                result = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
                usedCount = unsafe offered - Int(stream.pointee.avail_in)
                unsafe count = output.count - Int(stream.pointee.avail_out)
            }
        }
        input.removeFirst(usedCount)
        encodedByteCount += usedCount
        isAtEnd = result == Z_STREAM_END
        guard isAtEnd || result == Z_OK || (result == Z_BUF_ERROR && input.isEmpty) else {
            throw Fault()
        }
        return piece
    }

    /// Finds out how the bytes are wrapped, once there are enough of them.
    private func start(_ input: inout ArraySlice<UInt8>) throws(Fault) {
        guard !isStarted else { return }
        var windowBits: Int32 = 15 + 16
        if coding == .deflate {
            let missing = input.prefix(2 - firstBytes.count)
            firstBytes += missing
            input.removeFirst(missing.count)
            guard firstBytes.count == 2 else { return }
            // Some servers send deflate without the wrapping of zlib that RFC 9110 asks for.
            let number = Int(firstBytes[0]) << 8 | Int(firstBytes[1])
            windowBits = firstBytes[0] & 0x0F == 8 && number % 31 == 0 ? 15 : -15
            input = (firstBytes + input)[...]
        }
        guard unsafe czlib_inflate_init(stream, windowBits) == Z_OK else { throw Fault() }
        isStarted = true
    }
}
