// SPDX-License-Identifier: Apache-2.0

import RestSyntax

/// The file of an unfinished download, with what is needed to resume it in another process.
///
/// The received bytes are in a file beside the destination, and a second file states how many of
/// them are on the storage device, and of which representation they are. The statement is written
/// after the bytes, so that it is true after a crash at any time.
final class PartialFile: Sendable {
    /// The representation of which a file contains the first bytes.
    struct Content: Sendable, Hashable {
        /// The number of bytes on the storage device.
        var byteCount: Int
        /// The length of the complete representation in bytes, or `nil` if it is unknown.
        var completeByteCount: Int?
        /// The validator, or `nil` if the download cannot be resumed.
        var validator: DownloadValidator?
    }

    private static let dataSuffix = ".download"
    private static let contentSuffix = ".download-state"
    private static let version = "restkit-download 1"

    private let destination: String
    private let writer: FileWriter
    private let identity: String

    /// Opens the partial file of a destination.
    ///
    /// - Parameters:
    ///   - destination: The path of the complete file, which is not that of a directory or a device.
    ///   - request: The request, of whose URL and principal only a digest is written.
    /// - Throws: ``SystemCallError``.
    init(for destination: String, of request: TransportRequest) throws(SystemCallError) {
        try FileWriter.checkReplaceable(destination)
        self.destination = destination
        identity = SHA256.hexadecimalDigest(
            of: Array("\(request.principal?.id ?? "")\n\(request.url)".utf8))
        writer = try FileWriter(opening: destination + Self.dataSuffix)
    }

    /// Returns the content that can be resumed; it has zero bytes if there is none.
    ///
    /// Bytes that are not on the storage device for certain are removed.
    func resumableContent() throws(SystemCallError) -> Content {
        guard let content = storedContent(), try content.byteCount <= writer.byteCount() else {
            return Content(byteCount: 0)
        }
        try writer.truncate(to: content.byteCount)
        return content
    }

    /// A Boolean value that indicates whether the file has no bytes.
    var isEmpty: Bool {
        get throws(SystemCallError) { try writer.byteCount() == 0 }
    }

    /// Removes all bytes, and the statement about them.
    func removeContent() throws(SystemCallError) {
        try FileWriter.remove(destination + Self.contentSuffix)
        try writer.truncate(to: 0)
    }

    /// Writes received bytes at an offset.
    func write(_ bytes: [UInt8], at offset: Int) throws(SystemCallError) {
        try writer.write(bytes, at: offset)
    }

    /// Waits until the bytes are on the storage device, and then states so.
    ///
    /// Without a validator nothing is stated, because the download cannot be resumed.
    func confirm(_ content: Content) throws(SystemCallError) {
        guard let validator = content.validator else { return }
        try writer.synchronize()
        let lines = [
            Self.version, identity, String(content.byteCount),
            content.completeByteCount.map(String.init) ?? "-", validator.fieldValue, "",
        ]
        let path = destination + Self.contentSuffix
        let new = try FileWriter(opening: path + ".new")
        do throws(SystemCallError) {
            try new.truncate(to: 0)
            try new.write(Array(lines.joined(separator: "\n").utf8), at: 0)
            try FileWriter.rename(path + ".new", to: path)
        } catch {
            try? FileWriter.remove(path + ".new")
            throw error
        }
    }

    /// Gives the complete file the name of the destination, replacing a file of that name.
    func finish() throws(SystemCallError) {
        try writer.synchronize()
        try FileWriter.checkReplaceable(destination)
        try FileWriter.rename(destination + Self.dataSuffix, to: destination)
        try FileWriter.remove(destination + Self.contentSuffix)
    }

    /// Removes the files of a download that cannot be resumed.
    func remove() throws(SystemCallError) {
        try FileWriter.remove(destination + Self.contentSuffix)
        try FileWriter.remove(destination + Self.dataSuffix)
    }

    private func storedContent() -> Content? {
        guard let file = try? FileReader(opening: destination + Self.contentSuffix),
            let bytes = try? file.next()
        else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 6, lines[0] == Self.version, lines[1] == identity,
            let byteCount = Int(lines[2]), byteCount > 0,
            let validator = DownloadValidator(fieldValue: String(lines[4]))
        else { return nil }
        let completeByteCount = Int(lines[3])
        guard completeByteCount != nil || lines[3] == "-" else { return nil }
        return Content(
            byteCount: byteCount, completeByteCount: completeByteCount, validator: validator)
    }
}
