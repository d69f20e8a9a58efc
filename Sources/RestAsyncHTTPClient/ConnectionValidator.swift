// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOSSL
import RestTransport

/// Validates each connection before its first request, and each response head before AsyncHTTPClient
/// reads it, and lets silent connections over HTTP/2 be retired.
struct ConnectionValidator: Sendable {
    /// The reason why a connection is rejected.
    enum Rejection: Error {
        /// The server has no certificate, or the key of its certificate cannot be read.
        case noKey

        /// The key is too short to be secure.
        case weakKey

        /// The key is not one of the pinned keys.
        case unpinnedKey
    }

    /// The accepted keys of the host, or `nil` for any.
    let pins: Set<PublicKeyPin>?

    /// A Boolean value that indicates whether the end of a secure connection ends a body only after
    /// a `close_notify` alert.
    let requiresCloseNotify: Bool

    /// The connections over HTTP/2 of the transport.
    let connections: HTTP2Connections

    /// Adds the validation to all connections of a client with a configuration.
    func install(
        in configuration: inout AsyncHTTPClient.HTTPClient.Configuration
    ) {
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                if let tls = try? pipeline.handler(type: NIOSSLHandler.self) {
                    try validate(tls)
                    if !requiresCloseNotify {
                        try pipeline.addHandler(CloseNotifyFilter(), position: .after(tls))
                    }
                }
                let decoder = try pipeline.handler(
                    type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                try pipeline.addHandler(ResponseHeadValidator(), position: .after(decoder))
            }.closingOnFailure(channel)
        }
        configuration.http2ConnectionDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                try validate(pipeline.handler(type: NIOSSLHandler.self))
                let frames = try pipeline.handler(type: NIOHTTP2Handler.self)
                try pipeline.addHandler(
                    SilenceDetector(in: connections), position: .after(frames))
            }.closingOnFailure(channel)
        }
        configuration.http2StreamChannelDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let codec = try pipeline.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)
                try pipeline.addHandler(ResponseHeadValidator(), position: .after(codec))
                if let detector = try channel.parent?.pipeline.syncOperations.handler(
                    type: SilenceDetector.self)
                {
                    try pipeline.addHandler(StreamReporter(to: detector), position: .after(codec))
                }
            }
        }
    }

    private func validate(_ handler: NIOSSLHandler) throws {
        guard let key = try? handler.peerCertificate?.extractPublicKey().toSPKIBytes() else {
            throw Rejection.noKey
        }
        // BoringSSL accepts RSA keys of any size. SubjectPublicKeyInfo has some 30 bytes besides the
        // modulus, so that of a key of 2048 bits is never shorter than this.
        if key.count < 2048 / 8 + 30, key.firstRange(of: Self.rsaEncryption) != nil {
            throw Rejection.weakKey
        }
        guard let pins else { return }
        let digest = Data(SHA256.digest(of: key)).base64EncodedString()
        guard pins.contains(where: { $0.sha256 == digest }) else { throw Rejection.unpinnedKey }
    }

    /// The DER form of the object identifier 1.2.840.113549.1.1.1 (RFC 8017 appendix C).
    private static let rsaEncryption: [UInt8] = [
        0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01,
    ]
}

/// A channel handler that lets a connection end without a `close_notify` alert.
private final class CloseNotifyFilter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case NIOSSLError.uncleanShutdown = error { return }
        context.fireErrorCaught(error)
    }
}

extension EventLoopFuture where Value == Void {
    /// Returns this future, and closes a channel if it fails.
    fileprivate func closingOnFailure(_ channel: any Channel) -> EventLoopFuture<Void> {
        flatMapErrorThrowing { error in
            channel.close(promise: nil)
            throw error
        }
    }
}
#endif
