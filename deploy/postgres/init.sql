-- The second database of compose.yaml; the first is made by the image.
create database trunkline_sandbox;
