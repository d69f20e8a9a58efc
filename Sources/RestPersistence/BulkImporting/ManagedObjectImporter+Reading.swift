// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The reading of sources.
extension ManagedObjectImporter {
    /// Calls a closure that imports a source, and locates its error.
    ///
    /// After an error, the context has the objects of earlier sources only, or none if they are saved.
    func isolatingFailure(
        of source: SourceImport, _ body: () async throws -> Void
    ) async throws {
        let before = configuration.saving == .whenFinished ? try context.layered.layers.top : nil
        do {
            try await body()
        } catch {
            if let before {
                try context.replaceTop(before)
            } else {
                discardContext(isSaved: false)
            }
            sources.removeAll { $0 === source }
            throw source.located(error)
        }
    }

    func importFile(
        _ file: ImportFile, _ source: SourceImport, as mediaType: MediaType?,
        _ call: inout ImportCall
    ) async throws {
        if source.resumed.isComplete {
            guard source.resumed.prefix.byteCount == file.byteCount else { throw source.changed() }
            return call.finish(source)
        }
        guard let type = mediaType ?? MediaType(fileName: file.name) else {
            throw DocumentError(
                .unregisteredFormat, offset: 0,
                expected: "expected a file name with a known extension; name the type of the file")
        }
        let isJSON = configuration.formats.format(for: type) is JSONFormat
        do {
            try await importChunks(file.chunks(), source, as: type, &call)
        } catch let error as DocumentError
            where error.code == .missingArray && isJSON && source.elementCount == 0
        {
            try await importObject(of: file, source, insteadOf: error, &call)
        }
        call.finish(source)
    }

    /// Imports a single object in place of a list.
    private func importObject(
        of file: ImportFile, _ source: SourceImport, insteadOf error: DocumentError,
        _ call: inout ImportCall
    ) async throws {
        let document = try Document(
            contentsOfFile: file.path, limits: configuration.limits)
        guard let node = document.root[source.keyPath], node.kind == .object else { throw error }
        source.append(node, endingAt: document.byteCount, byteCount: document.byteCount)
        try await save(source, isComplete: true, &call)
    }

    /// Imports the elements of a stream in chunks.
    func importChunks<Chunks: AsyncSequence>(
        _ chunks: Chunks, _ source: SourceImport, as mediaType: MediaType, _ call: inout ImportCall
    ) async throws where Chunks.Element: Sequence<UInt8> {
        let isLines = mediaType.isJSONLines
        if isLines, !source.keyPath.components.isEmpty {
            throw DocumentError(
                .invalidPath, offset: 0, path: source.keyPath,
                expected: "expected no key path, because each line is an element")
        }
        guard isLines || configuration.formats.format(for: mediaType) is JSONFormat else {
            return try await importWhole(chunks, source, as: mediaType, &call)
        }
        var reader = ElementReader(
            isLines ? .lines : .elements(at: source.keyPath), limits: configuration.limits)
        var iterator = chunks.makeAsyncIterator()
        var hasEnded = false
        while !hasEnded {
            if let bytes = try await iterator.next(isolation: #isolation) {
                let bytes = Array(bytes)
                try source.note(bytes)
                reader.append(bytes)
            } else {
                hasEnded = true
                reader.finish()
            }
            while let element = try reader.next() {
                source.append(
                    element.root, endingAt: reader.readByteCount, byteCount: element.byteCount)
                if isFull(source.chunk) { try await save(source, isComplete: false, &call) }
            }
        }
        source.finishReading()
        try source.checkLength()
        try await save(source, isComplete: true, &call)
    }

    /// Imports a stream in another format than JSON.
    private func importWhole<Chunks: AsyncSequence>(
        _ chunks: Chunks, _ source: SourceImport, as mediaType: MediaType, _ call: inout ImportCall
    ) async throws where Chunks.Element: Sequence<UInt8> {
        var text: [UInt8] = []
        var iterator = chunks.makeAsyncIterator()
        while let bytes = try await iterator.next(isolation: #isolation) {
            text += bytes
            guard text.count <= configuration.limits.byteCount else {
                throw DocumentError(
                    .limitExceeded, offset: configuration.limits.byteCount,
                    expected: "at most \(configuration.limits.byteCount) bytes")
            }
        }
        try source.note(text)
        let document = try configuration.formats.read(
            text, as: mediaType, limits: configuration.limits)
        guard let node = document.root[source.keyPath] else {
            throw DocumentError(
                .missingArray, offset: 0, path: source.keyPath, expected: "expected a list")
        }
        for element in node.kind == .array ? Array(node.elements) : [node] {
            source.append(element, endingAt: nil, byteCount: 0)
            if isFull(source.chunk) { try await save(source, isComplete: false, &call) }
        }
        source.finishReading()
        try source.checkLength()
        try await save(source, isComplete: true, &call)
    }

    private func isFull(_ chunk: ElementChunk) -> Bool {
        chunk.count >= configuration.chunkCount || chunk.byteCount >= configuration.chunkByteCount
    }
}

extension MediaType {
    /// A Boolean value that indicates whether the type is one of JSON Lines.
    fileprivate var isJSONLines: Bool {
        type == "application"
            && ["jsonl", "x-jsonlines", "x-ndjson", "ndjson"].contains(subtype)
    }
}
